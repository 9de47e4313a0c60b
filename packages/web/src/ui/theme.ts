export type Theme = 'system' | 'light' | 'dark';

const storageKey = 'panel-theme';

/** Stored in the browser too, for the first render. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  localStorage.setItem(storageKey, theme);
}

export function storedTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function applyStoredTheme(): void {
  applyTheme(storedTheme());
}
