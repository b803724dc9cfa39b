// The colours: the system's unless somebody chooses. Not a module, so that it runs before the page is painted.
(() => {
  const themes = ['system', 'light', 'dark'];

  /** @param {string} theme */
  function show(theme) {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }

  function chosen() {
    const theme = localStorage.getItem('theme') ?? 'system';
    return themes.includes(theme) ? theme : 'system';
  }

  /** @param {HTMLElement} button @param {string} theme */
  function name(button, theme) {
    button.textContent = theme;
    button.setAttribute('aria-label', `Theme: ${theme}`);
  }

  show(chosen());
  addEventListener('DOMContentLoaded', () => {
    const button = document.getElementById('theme');
    if (!button) return;
    name(button, chosen());
    button.addEventListener('click', () => {
      const next = themes[(themes.indexOf(chosen()) + 1) % themes.length];
      localStorage.setItem('theme', next);
      show(next);
      name(button, next);
    });
  });
})();
