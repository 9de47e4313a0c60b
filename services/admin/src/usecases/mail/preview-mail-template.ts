import type { AdminContext } from '../../context.js';
import { mailSamples } from '../../domain/mail-samples.js';
import { templateNames } from '../../domain/mail-templates.js';
import { type RenderedMail, renderMail } from '../../domain/render-mail.js';
import { languageOf, senderOf } from '../../domain/sender.js';
import { fail } from '../../reasons.js';

/** `language`: BCP 47 tag; empty: the panel's. Throws MAIL_TEMPLATE_NOT_FOUND. */
export async function previewMailTemplate(
  { settings: store }: Pick<AdminContext, 'settings'>,
  { name, language }: { readonly name: string; readonly language: string },
): Promise<RenderedMail> {
  const known = templateNames.find((one) => one === name);
  if (!known) throw fail('MAIL_TEMPLATE_NOT_FOUND', 'there is no such mail');
  const { settings } = await store.read();
  return renderMail(mailSamples[known], senderOf(settings), languageOf(settings, language));
}
