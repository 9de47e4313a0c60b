import type { DocumentLanguage } from '../domain/language.js';
import { arabic } from './texts/ar.js';
import { german } from './texts/de.js';
import type { DocumentTexts } from './texts/document-texts.js';
import { english } from './texts/en.js';

export const documentTexts: Readonly<Record<DocumentLanguage, DocumentTexts>> = {
  en: english,
  de: german,
  ar: arabic,
};
