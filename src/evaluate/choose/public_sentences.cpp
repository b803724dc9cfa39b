// Public text for measurements: short reviews, tickets, notes and messages, written for Sotto and under its
// licence (Apache-2.0). They describe no real person, company or event. docs/choose.md says what they are
// for.
#include "evaluate/choose/text_sample.hpp"

namespace sotto::evaluate {

const std::vector<std::string>& public_sentences() {
  static const std::vector<std::string> sentences = {
      "The soup was cold when it came to the table, but the waiter took it back without a word and the "
      "second bowl "
      "was very good.",
      "We stayed three nights in a small room above the kitchen. It was clean and quiet, and breakfast was "
      "better than "
      "in most hotels.",
      "I ordered the blue jacket in a large size and got a green one that would not fit my youngest child.",
      "The battery lasts about a day and a half if you turn the screen down, which is more than my old phone "
      "could do.",
      "Please call me back before noon, because the doctor wants to see the results before he decides about "
      "the "
      "operation.",
      "The printer on the second floor shows a red light again, and nobody in the office knows how to open "
      "the lower "
      "drawer.",
      "My mother has had pain in her left knee since the winter and walks with a stick when she goes to the "
      "market.",
      "This film takes a long time to begin, but the last half hour is so moving that I forgot how tired I "
      "was.",
      "Our train was late by almost an hour, so we missed the boat and had to spend the night near the "
      "harbour.",
      "The teacher said that he reads well for his age but that he should talk less during lessons.",
      "I cannot log in since the update this morning; the page asks for my password and then returns to the "
      "start.",
      "He takes two tablets after dinner, sleeps badly, and complains of a dry mouth and a slight fever in "
      "the evening.",
      "Thank you for the flowers, they arrived on Friday and still look fresh on the shelf beside the "
      "window.",
      "The road behind the school is closed until spring because a water pipe broke under the bridge.",
      "She has worked in the bank for eleven years and would like to move to the new branch in the north of "
      "the city.",
      "We are sorry for the delay and will send the missing parts free of charge within the next ten days.",
      "The story is simple, the acting is honest, and the music never gets in the way of what people say.",
      "Could somebody explain why the second invoice is higher than the first, although we bought less this "
      "month?",
      "The dog barks whenever the neighbours come home, and after ten at night that is hard to bear.",
      "I have used this cream for two weeks and my skin is much better, but the smell is too strong for me.",
      "The patient was seen with his wife, who reports that he forgets names and has lost weight since last "
      "summer.",
      "There is no hot water in the bathroom on the third floor, and the heating makes a loud noise every "
      "morning.",
      "What a wonderful evening: good food, friendly people, and a view over the whole valley until the sun "
      "went down.",
      "The company sold its factory in the south and will build a smaller one closer to its largest "
      "customers.",
      "I lost my wallet on the bus yesterday, with my driving licence, two bank cards and some photographs "
      "in it.",
      "The book is far too long, yet I could not put it down, and I cried when the old sailor found his "
      "brother.",
      "Please change my address from the first of next month; the new street and number are at the end of "
      "this letter.",
      "Her blood pressure was normal, the wound is healing well, and she may go back to work on Monday.",
      "The keyboard feels cheap and two of the keys stopped working after a week, so I asked for my money "
      "back.",
      "They played badly in the first half, but a change of plan and a little luck won them the match.",
      "My grandson broke the lamp in the hall and hid the pieces under his bed, where the cat found them.",
      "The meeting is moved to Thursday afternoon, because half of the team will be at the fair until "
      "Wednesday.",
      "It rained all week, so the children stayed inside, painted the kitchen wall and drove their father "
      "mad.",
      "The seller was kind and answered every question, and the table looks even better in our living room "
      "than in "
      "the shop.",
      "After the accident she was afraid to drive, and it took her almost a year before she used the car "
      "again.",
      "The price went up for the third time this year, and I do not see what we get for it.",
      "He was born in a village near the border, studied law in the capital, and became a judge when he was "
      "forty.",
      "I would not eat there again: the meat was dry, the beans were out of a can, and the bill was wrong.",
      "The server stopped at four in the morning, when the disk was full, and nobody saw the warning until "
      "the shift "
      "began.",
      "Our daughter is allergic to nuts and milk, so please tell us what is in the cake before the party.",
      "The garden is small but full of light, with an apple tree, a wooden bench and roses along the fence.",
      "Nothing in this report explains why the costs of the project doubled between May and September.",
      "You should see the mountains in autumn, when the tourists are gone and the forest turns yellow and "
      "red.",
      "The customer says that the box was open when it arrived and that the cable and the manual were "
      "missing.",
      "I was on hold for forty minutes, listened to the same song nine times, and then the line went dead.",
      "The baby slept through the night for the first time, and both parents woke up because it was so "
      "quiet.",
      "They are looking for a nurse with experience in the care of older people, for two nights and one "
      "weekend a "
      "month.",
      "The actor who plays the father is excellent, but the script gives the women nothing to do except "
      "wait.",
      "He asked for a loan to buy a van, since he wants to sell his own bread and cheese at markets.",
      "The bed was comfortable, but the walls are so thin that we heard every word of the couple next door.",
      "After the new version was installed, the report takes three times as long and sometimes ends with an "
      "error.",
      "We walked along the river to the old mill, had coffee and cake, and took the bus back when it got "
      "dark.",
      "She stopped smoking in March, runs twice a week now, and says that she feels ten years younger.",
      "The window in the bedroom does not close properly and the rain comes in whenever the wind is from the "
      "west.",
      "This is the third time I write about the same problem, and I would like to speak with a person.",
      "The museum is free on Sundays, but go early, because by eleven the line reaches around the corner.",
      "He has a headache behind his right eye that gets worse with light, and his sister has the same "
      "complaint.",
      "The election was close, and both sides said that they would accept whatever the court decides.",
      "My son wants to study music, my husband says he should learn a trade, and I only want him to be "
      "happy.",
      "The shoes are beautiful but hurt after an hour, so I wear them only when I know that I can sit down.",
      "The fire began in the kitchen of a restaurant and spread to the roof before the first engine arrived.",
      "I paid twice by mistake, once by card and once by bank transfer, and would like one of the two "
      "amounts back.",
      "The sound is clear, the picture is sharp, and even my grandfather understood how to use it within a "
      "day.",
      "She lives alone since her friend died last autumn, eats little, and seldom leaves the house in "
      "winter.",
      "The course was useful for beginners, but those of us who had done this before learned almost nothing.",
      "They found a tin with letters from the war behind the stove when they took the old floor out.",
      "The parcel went to the wrong town, came back, and was then left in the rain before my door.",
      "The medicine makes him tired in the morning, so we agreed to try half the dose for the next four "
      "weeks.",
      "A good knife, a heavy pan and fresh fish from the market are all you need for this dish.",
      "The manager promised to look into it, but when I came back on Tuesday nobody knew about my complaint.",
      "We have two dogs and a large garden, so we would rather rent a house outside the town than a flat.",
      "The bank closed my account without warning, and it took six weeks and three lawyers to get an answer.",
      "It is a quiet place with honest food, low prices and an owner who remembers what you had last time.",
      "The child fell from a swing, hit her head on a stone, and was unconscious for about a minute.",
      "I like the colour and the weight of this bag, but the zip broke on the second day of our trip.",
      "The new road will cut the journey to the airport by twenty minutes, if it is ever finished.",
      "He wrote to his sister every week, and she kept each of his letters in a drawer until she died.",
      "Please send someone to look at the lift; it stops between floors, and an old lady was trapped in it "
      "today.",
      "The concert was sold out, the hall was too warm, and still nobody wanted to go home when it was over.",
      "Our server in the second room needs more memory, and the backup of last night did not finish.",
  };
  return sentences;
}

}  // namespace sotto::evaluate
