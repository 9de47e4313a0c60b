import type { Job, Jobs, Logger } from '@panel/kit/process';
import { OutboxWorker, type OutboxMetrics } from '@panel/outbox';
import type { MailServiceService } from '@panel/protos/admin';
import type { Client } from '@panel/rpc';
import type { InvitationMail } from '../domain/subusers/invitation-mail.js';
import type { Invitation } from '../models/servers/server-subusers.js';
import type { Stores } from '../models/stores.js';
import type { UserDirectory } from './user-directory.js';

interface SubuserJobsDeps {
  readonly stores: Pick<Stores, 'servers'>;
  readonly users: UserDirectory;
  /** Null: no admin service, no mail. */
  readonly mail: Client<typeof MailServiceService> | null;
  readonly metrics: OutboxMetrics;
  readonly clock: () => Date;
  readonly log: Logger;
  readonly invitationCheckMs: number;
  readonly attempt: Jobs['attempt'];
}

const timeoutMs = 5_000;
const pageSize = 500;
const endMs = 5_000;

/** Mails invitations, accepts them for existing accounts, ends expired access. */
export function createSubuserJobs(deps: SubuserJobsDeps): Job[] {
  const { stores, mail, clock, log, metrics, invitationCheckMs } = deps;
  const mails = new OutboxWorker<InvitationMail>({
    name: 'invitation-mails',
    store: stores.servers.subusers.mails,
    deliver: async (deliveries, signal) => {
      for (const { entry } of deliveries) {
        const { to, inviter, serverName } = entry.payload;
        const content = { $case: 'invitation', value: { inviter, serverName } } as const;
        // Without an account there is no language but the panel's.
        const request = { eventId: entry.id, to, language: '', mail: content };
        await mail?.enqueueMail(request, { signal, timeoutMs });
      }
    },
    clock,
    log,
    metrics,
  });
  return [
    ...(mail === null ? [] : [mails.asJob()]),
    {
      name: 'accept-invitations',
      intervalMs: invitationCheckMs,
      run: async (signal) => acceptInvitations(deps, signal),
    },
    { name: 'end-subusers', intervalMs: endMs, run: async () => stores.servers.subusers.removeEnded(clock()) },
  ];
}

/** The account may come from any service. */
async function acceptInvitations(
  { stores, users, clock, log, attempt }: SubuserJobsDeps,
  signal: AbortSignal,
): Promise<void> {
  const { subusers } = stores.servers;
  for (let after = ''; !signal.aborted;) {
    const page = await subusers.invitations(after, pageSize, clock());
    const found = await users.byEmails(page.map(({ email }) => email));
    for (const invitation of page) {
      const user = found.get(invitation.email);
      if (!user || user.isEmailUnproven) continue;
      const { serverId } = invitation;
      await attempt('accept-invitations', serverId, async () => {
        await subusers.accept(invitation, user.id);
        log.info({ serverId, userId: user.id }, 'an invitation was accepted');
      });
    }
    after = lastServer(page);
    if (after === '') return;
  }
}

function lastServer(page: readonly Invitation[]): string {
  return page.at(-1)?.serverId ?? '';
}
