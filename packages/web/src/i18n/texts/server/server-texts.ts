import { defineTexts } from '../../define-texts.js';
import en from './en.json' with { type: 'json' };

export const serverTexts = defineTexts(en, {
  de: async () => (await import('./de.json', { with: { type: 'json' } })).default,
  ar: async () => (await import('./ar.json', { with: { type: 'json' } })).default,
});
