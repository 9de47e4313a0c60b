import type { ReactNode } from 'react';
import { AddedTexts, type TextLoaders } from './added-texts.js';
import en from './tools.en.json' with { type: 'json' };

const loaders: TextLoaders = {
  en: async () => en,
  de: async () => (await import('./tools.de.json', { with: { type: 'json' } })).default,
  ar: async () => (await import('./tools.ar.json', { with: { type: 'json' } })).default,
};

/** Adds the texts of the wall, of graphs over days, and of other things most visits do without. */
export function ToolsTexts({ children }: { readonly children: ReactNode }) {
  return (
    <AddedTexts english={en} loaders={loaders}>
      {children}
    </AddedTexts>
  );
}
