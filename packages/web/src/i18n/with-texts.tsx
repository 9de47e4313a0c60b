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
  const load = async (locale: Locale): Promise<Messages> =>
    merge(await Promise.all(areas.map(async ({ loaders }) => loaders[locale]())));
  return function WithTexts(props) {
    const base = useI18n();
    const [loaded, setLoaded] = useState<Messages | null>(null);
    useEffect(() => {
      let isCurrent = true;
      void load(base.locale).then((messages) => {
        if (isCurrent) setLoaded(messages);
      });
      return () => {
        isCurrent = false;
      };
    }, [base.locale]);
    const value = useMemo(
      // The old language stays while another loads, to keep inputs.
      () => loaded && createI18n(base.locale, { ...english, ...base.messages, ...loaded }, base.setLocale),
      [base, loaded],
    );
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
