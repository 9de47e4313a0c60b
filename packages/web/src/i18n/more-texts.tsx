import type { ComponentType, ReactNode } from 'react';
import { AddedTexts, type TextLoaders } from './added-texts.js';
import en from './more.en.json' with { type: 'json' };

const loaders: TextLoaders = {
  en: async () => en,
  de: async () => (await import('./more.de.json', { with: { type: 'json' } })).default,
  ar: async () => (await import('./more.ar.json', { with: { type: 'json' } })).default,
};

/** Adds the texts of store, billing and staff pages, which the first page does without. */
export function MoreTexts({ children }: { readonly children: ReactNode }) {
  return (
    <AddedTexts english={en} loaders={loaders}>
      {children}
    </AddedTexts>
  );
}

/** A page below MoreTexts. */
export function withMoreTexts(Content: ComponentType): ComponentType {
  return function PageWithTexts() {
    return (
      <MoreTexts>
        <Content />
      </MoreTexts>
    );
  };
}
