import { type ComponentType, useEffect, useMemo, useState } from 'react';
import type { AreaTexts } from './define-texts.js';
import { createI18n, I18nContext, useI18n } from './i18n.js';
import type { Messages } from './keys.js';
import type { Locale } from './locale.js';

export function withTexts<Props extends object>(
  areas: readonly AreaTexts[],
  Content: ComponentType<Props>,
): ComponentType<Props> {
  const english = merge(areas.map((area) => area.english));
  /** Once loaded they are there at the first rendering. */
  const known = new Map<Locale, Messages>([['en', english]]);
  const load = async (locale: Locale): Promise<Messages> => {
    const messages = merge(await Promise.all(areas.map(async ({ loaders }) => loaders[locale]())));
    known.set(locale, messages);
    return messages;
  };
  return function WithTexts(props) {
    const base = useI18n();
    const [loaded, setLoaded] = useState<Messages | null>(known.get(base.locale) ?? null);
    const [failure, setFailure] = useState<{ readonly error: unknown } | null>(null);
    useEffect(() => {
      let isCurrent = true;
      load(base.locale).then(
        (messages) => {
          if (isCurrent) setLoaded(messages);
        },
        (error: unknown) => {
          if (isCurrent) setFailure({ error });
        },
      );
      return () => {
        isCurrent = false;
      };
    }, [base.locale]);
    const value = useMemo(
      // The old language stays while another loads, to keep inputs.
      () => loaded && createI18n(base.locale, { ...english, ...base.messages, ...loaded }, base.setLocale),
      [base, loaded],
    );
    // Shown as a page that does not load.
    if (failure) throw failure.error;
    return value ? (
      <I18nContext value={value}>
        <Content {...props} />
      </I18nContext>
    ) : null;
  };
}

function merge(messages: readonly Messages[]): Messages {
  return Object.assign({}, ...messages) as Messages;
}
