import type { MailContent } from '../domain/mail.js';
import type { SecretBox } from './secret-box.js';

/** Sealed: links open accounts. */
export function sealMailContent(box: SecretBox, mailId: string, content: MailContent): string {
  return box.seal(JSON.stringify(content), aadOf(mailId));
}

/** Null: another SERVICE_SECRET, or another mail. */
export function openMailContent(box: SecretBox, mailId: string, sealed: string): MailContent | null {
  const json = box.open(sealed, aadOf(mailId));
  // Validated before sealing.
  return json ? (JSON.parse(json) as MailContent) : null;
}

function aadOf(mailId: string): string {
  return `mail.${mailId}`;
}
