import type { MailContent } from '../domain/mail.js';
import type { SecretBox } from './secret-box.js';

/** The content of a mail as its queue holds it: sealed, because its link opens an account. */
export function sealMailContent(box: SecretBox, mailId: string, content: MailContent): string {
  return box.seal(JSON.stringify(content), aadOf(mailId));
}

/** Null when it was sealed with another SERVICE_SECRET, or for another mail. */
export function openMailContent(box: SecretBox, mailId: string, sealed: string): MailContent | null {
  const json = box.open(sealed, aadOf(mailId));
  // Sealed after validation, so it has this shape.
  return json ? (JSON.parse(json) as MailContent) : null;
}

function aadOf(mailId: string): string {
  return `mail.${mailId}`;
}
