// Ctrl-C and SIGTERM: the command is asked to stop. If it has not after most of a second, the program ends.
#pragma once

#include <string>
#include <string_view>

namespace sotto::cli {

/// Whether the user pressed Ctrl-C or the system asked the program to end.
bool interrupted();

/// From now on both signals are caught; the second one ends the program at once. Whatever a command has under
/// way is made to survive a kill, so a command that does not notice in time is ended as if killed, but with
/// its line. Other signals: a closed pipe becomes a failed write.
void catch_interrupts(int argc, char** argv);

/// Says that the same command, typed again, continues what was interrupted; the line then shows it.
void can_be_resumed();

/// To be called before a command that failed writes its line: the deadline then writes none.
void claim_last_line();

/// The message of an interrupted command, with the command that resumes it where there is one.
std::string interruption_line(std::string_view message);

}  // namespace sotto::cli
