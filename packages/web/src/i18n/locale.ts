export const locales = { en: 'English', de: 'Deutsch', ar: 'العربية' } as const;
export type Locale = keyof typeof locales;

export const localeKey = 'panel-locale';

/** Else the browser's first known one. */
export function preferredLocale(): Locale {
  const wanted = [localStorage.getItem(localeKey), ...navigator.languages];
  const known = wanted.map((tag) => tag?.slice(0, 2)).find((tag) => tag !== undefined && tag in locales);
  return (known as Locale | undefined) ?? 'en';
}
