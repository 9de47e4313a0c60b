import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { createI18n, I18nContext, type Locale, type Messages, useI18n } from './i18n.js';
import en from './more.en.json' with { type: 'json' };

const loaders: Readonly<Record<Locale, () => Promise<Messages>>> = {
  en: async () => en,
  de: async () => (await import('./more.de.json', { with: { type: 'json' } })).default,
  ar: async () => (await import('./more.ar.json', { with: { type: 'json' } })).default,
};

/** Adds the texts of store, billing and staff pages, which the first page does without. */
export function MoreTexts({ children }: { readonly children: ReactNode }) {
  const base = useI18n();
  const [loaded, setLoaded] = useState<{ locale: Locale; messages: Messages } | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void loaders[base.locale]().then((messages) => {
      if (isCurrent) setLoaded({ locale: base.locale, messages });
    });
    return () => {
      isCurrent = false;
    };
  }, [base.locale]);
  const value = useMemo(() => {
    if (loaded?.locale !== base.locale) return null;
    return createI18n(base.locale, { ...en, ...base.messages, ...loaded.messages }, base.setLocale);
  }, [base, loaded]);
  return value ? <I18nContext value={value}>{children}</I18nContext> : null;
}
