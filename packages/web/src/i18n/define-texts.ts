import type { Key, Messages } from './keys.js';
import type { Locale } from './locale.js';

/** The texts of one area of the console, in every language. */
export interface AreaTexts {
  readonly english: Messages;
  readonly loaders: Readonly<Record<Locale, () => Promise<Messages>>>;
}

type Translations<Name extends Key> = Readonly<
  Record<Exclude<Locale, 'en'>, () => Promise<Readonly<Record<NoInfer<Name>, string>>>>
>;

/** English is bundled with the pages of the area. Does not compile unless each language has every key of it. */
export function defineTexts<Name extends Key>(
  english: Readonly<Record<Name, string>>,
  translations: Translations<Name>,
): AreaTexts {
  return { english, loaders: { en: async () => english, ...translations } };
}
