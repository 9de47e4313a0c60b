import type { LogLine } from '@panel/programs';

export interface ShownMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

const retainedMails = 100;

/** Of the mail driver `log`: their links appear on the terminal only, in no log file. */
export function mailPrinter(log: LogLine, retained: ShownMail[]): (message: unknown) => void {
  return (message) => {
    if (!isMail(message)) return;
    const { to, subject, text } = message;
    retained.push({ to, subject, text });
    if (retained.length > retainedMails) retained.shift();
    log(`mail to ${to}: ${subject}`);
    for (const line of text.split('\n')) log(`    ${line}`);
  };
}

function isMail(message: unknown): message is ShownMail & { readonly type: 'mail' } {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'mail';
}
