import type { Key, Messages } from './keys.js';
import type { Locale } from './locale.js';

export interface AreaTexts {
  readonly english: Messages;
  readonly loaders: Readonly<Record<Locale, () => Promise<Messages>>>;
}

type Translations<Name extends Key> = Readonly<
  Record<Exclude<Locale, 'en'>, () => Promise<Readonly<Record<NoInfer<Name>, string>>>>
>;

/** The compiler requires every key in each language. */
export function defineTexts<Name extends Key>(
  english: Readonly<Record<Name, string>>,
  translations: Translations<Name>,
): AreaTexts {
  return { english, loaders: { en: async () => english, ...translations } };
}
