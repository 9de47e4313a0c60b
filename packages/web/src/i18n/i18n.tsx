import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import type { Key, Messages } from './keys.js';
import { type Locale, localeKey, locales, preferredLocale } from './locale.js';
import { isolatorOf, MessageFormat } from './message-format.js';
import { commonTexts } from './texts/common/common-texts.js';

type Values = Readonly<Record<string, string | number>>;

export { type Key, type Locale, locales };

export interface I18n {
  readonly messages: Messages;
  readonly locale: Locale;
  readonly setLocale: (locale: Locale) => void;
  readonly t: (key: Key, values?: Values) => string;
  readonly maybe: (key: string, fallback: string) => string;
  readonly number: (value: number, options?: Intl.NumberFormatOptions) => string;
  readonly date: (value: string | number | Date | null) => string;
  readonly time: (value: number) => string;
  readonly relative: (value: string | null) => string;
  readonly money: (money: { readonly amount: number; readonly currency: string }) => string;
  readonly bytes: (bytes: number) => string;
}

export function createI18n(locale: Locale, messages: Messages, setLocale: (locale: Locale) => void): I18n {
  const isolate = isolatorOf(locale);
  const formats = new Map<string, MessageFormat>();
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const times = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
  const relatives = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const render = (key: string, text: string, values: Values): string => {
    if (!text.includes('{')) return text;
    const format = formats.get(key) ?? new MessageFormat(text, locale);
    formats.set(key, format);
    return format.format(values);
  };
  const textOf = (key: string): string | undefined => messages[key as Key] ?? commonTexts.english[key as Key];
  return {
    messages,
    locale,
    setLocale,
    t: (key, values = {}) => render(key, textOf(key) ?? key, values),
    maybe: (key, fallback) => {
      const text = textOf(key);
      return text === undefined ? fallback : render(key, text, {});
    },
    number: (value, options) => (options ? new Intl.NumberFormat(locale, options) : numbers).format(value),
    date: (value) => (value === null ? '–' : dates.format(new Date(value))),
    time: (value) => times.format(value),
    relative: (value) => (value === null ? '–' : relativeTo(relatives, new Date(value).getTime() - Date.now())),
    money: ({ amount, currency }) => {
      const format = new Intl.NumberFormat(locale, { style: 'currency', currency });
      return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
    },
    bytes: (bytes) => {
      const power = bytes < 1 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
      return isolate(`${numbers.format(bytes / 1024 ** power)} ${['B', 'KiB', 'MiB', 'GiB', 'TiB'][power]}`);
    },
  };
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

function relativeTo(format: Intl.RelativeTimeFormat, differenceMs: number): string {
  for (const [unit, length] of units) {
    if (Math.abs(differenceMs) >= length) return format.format(Math.round(differenceMs / length), unit);
  }
  return format.format(Math.round(differenceMs / 1000), 'second');
}

export const I18nContext = createContext<I18n | null>(null);

export function I18nProvider({ children }: { readonly children: ReactNode }) {
  const [locale, setLocale] = useState<Locale>(preferredLocale);
  const [loaded, setLoaded] = useState<{ locale: Locale; messages: Messages } | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void commonTexts.loaders[locale]().then(async (messages) => {
      if (!isCurrent) return;
      setLoaded({ locale, messages });
      // After what the page needs; an error before is in the panel's words.
      const { errorTexts } = await import('./texts/errors/errors-texts.js');
      const errors = await errorTexts.loaders[locale]();
      if (isCurrent) setLoaded({ locale, messages: { ...messages, ...errors } });
    });
    return () => {
      isCurrent = false;
    };
  }, [locale]);
  const value = useMemo(() => {
    if (!loaded) return null;
    return createI18n(loaded.locale, loaded.messages, (next) => {
      localStorage.setItem(localeKey, next);
      setLocale(next);
    });
  }, [loaded]);
  useEffect(() => {
    if (!value) return;
    document.documentElement.lang = value.locale;
    document.documentElement.dir = value.locale === 'ar' ? 'rtl' : 'ltr';
  }, [value]);
  return value ? <I18nContext value={value}>{children}</I18nContext> : null;
}

export function useI18n(): I18n {
  const i18n = useContext(I18nContext);
  if (!i18n) throw new Error('useI18n outside of I18nProvider');
  return i18n;
}
