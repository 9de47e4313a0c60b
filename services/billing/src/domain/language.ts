/** The languages of the mails. */
const documentLanguages = ['en', 'de', 'ar'] as const;
export type DocumentLanguage = (typeof documentLanguages)[number];

/** Of a BCP 47 tag, by its language: "de-AT" is "de". English if there are no texts in it. */
export function documentLanguageOf(tag: string): DocumentLanguage {
  const language = tag.toLowerCase().split('-')[0];
  return documentLanguages.find((one) => one === language) ?? 'en';
}
