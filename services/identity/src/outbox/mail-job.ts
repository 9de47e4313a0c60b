import { assertNever, isAppError } from '@panel/kit/errors';
import type { Job, Logger } from '@panel/kit/process';
import { classifyFailure, type Delivery, type DeliveryFailure, type OutboxMetrics, OutboxWorker } from '@panel/outbox';
import type { EnqueueMailRequest, MailServiceService } from '@panel/protos/admin';
import type { Client } from '@panel/rpc';
import { linkAad, linkTtlMs } from '../crypto/password-links.js';
import type { SecretBox } from '../crypto/secret-box.js';
import type { MailPayload } from '../domain/outbox.js';
import type { UserOutboxes } from '../models/outbox.js';

interface MailJobOptions {
  readonly mail: Client<typeof MailServiceService>;
  readonly outboxes: UserOutboxes;
  readonly box: SecretBox;
  readonly clock: () => Date;
  readonly log: Logger;
  readonly metrics: OutboxMetrics;
}

const timeoutMs = 5_000;
/** People wait for their link. */
const intervalMs = 1_000;

/** Delivers user outboxes to admin. */
export function createMailJob({ box, clock, log, mail, metrics, outboxes }: MailJobOptions): Job {
  return new OutboxWorker<MailPayload>({
    name: 'mail',
    store: outboxes.mail,
    classify: classifyMailFailure,
    deliver: async (deliveries, signal) => {
      for (const delivery of deliveries) await mail.enqueueMail(mailRequest(box, delivery), { signal, timeoutMs });
    },
    clock,
    log,
    metrics,
    intervalMs,
  }).asJob();
}

/** A token sealed with another SERVICE_SECRET never opens. */
function classifyMailFailure(error: unknown): DeliveryFailure {
  return isAppError(error, 'SECRET_UNREADABLE') ? 'rejected' : classifyFailure(error);
}

function mailRequest(box: SecretBox, { documentId, entry }: Delivery<MailPayload>): EnqueueMailRequest {
  const { kind, to, username, language = '', content } = entry.payload;
  const envelope = { eventId: entry.id, to, language };
  const openToken = () => box.open(content, linkAad(documentId));
  switch (kind) {
    case 'set_password': {
      const value = { username, token: openToken(), validHours: linkTtlMs.set_password / 3_600_000 };
      return { ...envelope, mail: { $case: 'setPassword', value } };
    }
    case 'reset_password': {
      const value = { username, token: openToken(), validMinutes: linkTtlMs.reset_password / 60_000 };
      return { ...envelope, mail: { $case: 'resetPassword', value } };
    }
    case 'email_changed':
      return { ...envelope, mail: { $case: 'emailChanged', value: { username, newEmail: content } } };
    default:
      return assertNever(kind);
  }
}
