import { type FieldMessages, invalidFields, fieldProblem } from '@panel/kit/errors';
import { snakeCase } from '@panel/kit/text';
import type { EnqueueMailRequest } from '@panel/protos/admin';
import { z } from 'zod';
import type { MailContent } from '../../domain/mail.js';
import { integer, line, mailAddress } from '../../domain/text.js';
import type { NewMail } from '../../usecases/mail/enqueue-mail.js';

const name = line(100).min(1, 'must not be empty');
const maxDocumentBytes = 1_048_576;
/** Needs no escaping in links. */
const token = z.string().regex(/^[\w.~-]{16,512}$/, 'must be 16 to 512 letters, digits, -, ., _ or ~');

/** EVENT_PAYMENT_FAILED is payment_failed. */
const word = <const W extends string>(prefix: string, words: readonly W[]) =>
  z
    .string()
    .transform((value) => value.slice(prefix.length).toLowerCase())
    .pipe(z.enum(words));

/** UNSPECIFIED is null. */
const optionalWord = <const W extends string>(prefix: string, words: readonly W[]) =>
  z
    .string()
    .transform((value) => (value === `${prefix}UNSPECIFIED` ? null : value.slice(prefix.length).toLowerCase()))
    .pipe(z.enum(words).nullable());

const money = z.string().regex(/^-?\d{1,16}(\.\d{1,4})? [A-Z]{3}$/, 'must be an amount like 4.99 EUR');
const time = z.date('must be a time').transform((value) => value.toISOString());

const document = z.object({
  fileName: z.string().regex(/^[\w.-]{1,100}$/, 'must be 1 to 100 letters, digits, -, . or _'),
  content: z
    .instanceof(Uint8Array)
    .refine((bytes) => bytes.length > 0 && bytes.length <= maxDocumentBytes, 'must be a PDF of at most 1 MiB')
    .transform((bytes) => Buffer.from(bytes).toString('base64')),
});

const schemas = {
  setPassword: z.object({ username: name, token, validHours: integer(1, 24 * 30) }),
  resetPassword: z.object({ username: name, token, validMinutes: integer(1, 60 * 24 * 7) }),
  emailChanged: z.object({ username: name, newEmail: mailAddress }),
  invitation: z.object({ inviter: name, serverName: name }),
  invoice: z
    .object({
      event: word('EVENT_', ['issued', 'paid', 'reminder', 'overdue', 'refunded', 'cancelled', 'payment_failed']),
      customerName: name,
      number: name,
      total: money,
      dueTime: time,
      document: document.optional().transform((value) => value ?? null),
    })
    .transform(({ dueTime: dueAt, ...rest }) => ({ ...rest, dueAt })),
  service: z
    .object({
      event: word('EVENT_', ['ready', 'suspended', 'unsuspended', 'ended', 'cancelled', 'resumed']),
      customerName: name,
      serviceName: name,
      suspendReason: optionalWord('SUSPEND_REASON_', ['operator', 'dispute', 'debt', 'overdue', 'balance']),
      endCause: optionalWord('END_CAUSE_', ['cancelled', 'unpaid', 'operator', 'dispute']),
      endTime: time.optional(),
    })
    .refine(({ event, endTime }) => endTime !== undefined || (event !== 'cancelled' && event !== 'resumed'), {
      path: ['endTime'],
      message: 'is needed for this event',
    })
    .transform(({ endTime: endsAt = null, ...rest }) => ({ ...rest, endsAt })),
  creditsLow: z.object({ customerName: name, balance: money }),
  priceChange: z
    .object({ customerName: name, serviceName: name, oldPrice: money, newPrice: money, startTime: time })
    .transform(({ startTime: startsAt, ...rest }) => ({ ...rest, startsAt })),
};

const requestSchema = z.object({ eventId: z.uuid('must be a UUID'), to: mailAddress, language: line(35) });

/** Throws INVALID_FIELDS naming every invalid field in snake_case ("reset_password.valid_minutes"). */
export function readMail(request: EnqueueMailRequest): NewMail {
  const problems: FieldMessages = {};
  const note = (prefix: readonly string[], issues: readonly z.core.$ZodIssue[]) => {
    for (const { path, message } of issues) {
      const field = [...prefix, ...path].map((key) => snakeCase(String(key))).join('.');
      (problems[field] ??= []).push(message);
    }
  };
  const envelope = requestSchema.safeParse(request);
  if (!envelope.success) note([], envelope.error.issues);
  const content = request.mail && checkContent(request.mail, note);
  if (!request.mail) problems.mail = [fieldProblem('required', 'is needed')];
  if (!envelope.success || !content) throw invalidFields(problems);
  return { ...envelope.data, content };
}

function checkContent(
  mail: NonNullable<EnqueueMailRequest['mail']>,
  note: (prefix: readonly string[], issues: readonly z.core.$ZodIssue[]) => void,
): MailContent | null {
  const result = schemas[mail.$case].safeParse(mail.value);
  // the schema of the case matches its kind
  if (result.success) return { kind: mail.$case, ...result.data } as MailContent;
  note([mail.$case], result.error.issues);
  return null;
}
