import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { createI18n, I18nContext, type Locale, type Messages, useI18n } from './i18n.js';

export type TextLoaders = Readonly<Record<Locale, () => Promise<Messages>>>;

interface AddedTextsProps {
  /** Shown where the language has no text. */
  readonly english: Messages;
  readonly loaders: TextLoaders;
  readonly children: ReactNode;
}

/** Shows its children once the texts that they need beyond those of every page are there. */
export function AddedTexts({ english, loaders, children }: AddedTextsProps) {
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
  }, [base.locale, loaders]);
  const value = useMemo(() => {
    // While another language is loaded, what is shown stays: a form keeps what was typed.
    if (!loaded) return null;
    return createI18n(base.locale, { ...english, ...base.messages, ...loaded.messages }, base.setLocale);
  }, [base, english, loaded]);
  return value ? <I18nContext value={value}>{children}</I18nContext> : null;
}
