import type { AdminContext } from '../../context.js';
import type { MailContent } from '../../domain/mail.js';
import { mailAad } from './send-due-mails.js';

export interface NewMail {
  /** Id of the event that causes the mail: a repetition changes nothing. */
  readonly eventId: string;
  readonly to: string;
  readonly content: MailContent;
}

/** Put a mail into the queue; the job `send-mails` sends it. */
export async function enqueueMail(
  { box, clock, mailQueue }: AdminContext,
  { eventId, to, content }: NewMail,
): Promise<void> {
  const sealed = box.seal(JSON.stringify(content), mailAad(eventId));
  await mailQueue.add({ id: eventId, to, content: sealed, now: clock() });
}
