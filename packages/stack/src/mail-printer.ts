import type { LogLine } from '@panel/programs';

export interface ShownMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

const keptMails = 100;

/** Of the mail driver `log`: their links appear on the terminal only, in no log file. */
export function mailPrinter(log: LogLine, kept: ShownMail[]): (message: unknown) => void {
  return (message) => {
    if (!isMail(message)) return;
    const { to, subject, text } = message;
    kept.push({ to, subject, text });
    if (kept.length > keptMails) kept.shift();
    log(`mail to ${to}: ${subject}`);
    for (const line of text.split('\n')) log(`    ${line}`);
  };
}

function isMail(message: unknown): message is ShownMail & { readonly type: 'mail' } {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'mail';
}
