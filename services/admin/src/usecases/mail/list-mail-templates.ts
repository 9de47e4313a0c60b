import { mailLanguages, templateNames } from '../../domain/mail-templates.js';

export function listMailTemplates(): { readonly names: string[]; readonly languages: string[] } {
  return { names: [...templateNames], languages: [...mailLanguages] };
}
