import { AppError } from '@panel/kit/errors';
import { createLogger } from '@panel/kit/process';
import { waitUntil } from '@panel/kit/testing';
import { createActorSigner, serve, startGrpcServer } from '@panel/rpc';
import {
  type ActivityEvent,
  ActivityServiceService,
  type EnqueueMailRequest,
  MailServiceService,
  SecuritySettings_RequireTwoFactor as RequireTwoFactor,
  Settings,
  SettingsServiceService,
} from '@panel/protos/admin';
import { GetObligationsResponse, ObligationServiceService } from '@panel/protos/billing';
import { OwnershipServiceService } from '@panel/protos/servers';
import { expect } from 'chai';

/** Fakes on one port, with records and switches. */
export interface FakeServices {
  readonly address: string;
  readonly mails: EnqueueMailRequest[];
  readonly events: ActivityEvent[];
  readonly serversOf: Map<string, number>;
  /** Removed from shared servers. */
  readonly removedUsers: string[];
  refusesRemovals: boolean;
  requireTwoFactor: RequireTwoFactor;
  sessionsPerUser: number;
  /** Without an entry: none. */
  readonly obligationsOf: Map<string, GetObligationsResponse>;
  isBillingUnavailable: boolean;
  /** Every call fails with UNAVAILABLE. */
  isUnavailable: boolean;
  /** No call completes. */
  isHanging: boolean;
  /** Runs during the count of servers. */
  whileCounting: () => Promise<void>;
  stop(): Promise<void>;
}

export async function startFakeServices(serviceSecret: string): Promise<FakeServices> {
  const heard = {
    mails: [] as EnqueueMailRequest[],
    events: [] as ActivityEvent[],
    serversOf: new Map<string, number>(),
    removedUsers: [] as string[],
    obligationsOf: new Map<string, GetObligationsResponse>(),
    isBillingUnavailable: false,
    refusesRemovals: false,
    requireTwoFactor: RequireTwoFactor.NONE as RequireTwoFactor,
    sessionsPerUser: 50,
    isUnavailable: false,
    isHanging: false,
    whileCounting: async () => undefined as void,
  };
  const answer = async <T>(make: () => T | Promise<T>): Promise<T> => {
    if (heard.isHanging) await new Promise(() => undefined);
    if (heard.isUnavailable) throw new AppError('unavailable', 'AWAY', 'away');
    return make();
  };
  const unused = async () => expect.fail('identity does not call this');
  const server = await startGrpcServer(
    [
      serve(SettingsServiceService, {
        getSettings: async () =>
          answer(() => {
            const { requireTwoFactor, sessionsPerUser } = heard;
            const security = { requireTwoFactor, sessionsPerUser };
            return { settings: Settings.fromPartial({ general: { name: 'Test Panel' }, security }) };
          }),
        updateSettings: unused,
      }),
      serve(MailServiceService, {
        // Like the real one, deduplicates by id.
        enqueueMail: async (request) =>
          answer(() => {
            if (!heard.mails.some(({ eventId }) => eventId === request.eventId)) heard.mails.push(request);
            return {};
          }),
        sendTestMail: unused,
        listMailTemplates: unused,
        previewMailTemplate: unused,
      }),
      serve(ActivityServiceService, {
        recordActivity: async ({ events }) =>
          answer(() => {
            for (const event of events) if (!heard.events.some(({ id }) => id === event.id)) heard.events.push(event);
            return {};
          }),
        listActivity: unused,
      }),
      serve(ObligationServiceService, {
        getObligations: async ({ userId }) =>
          answer(() => {
            if (heard.isBillingUnavailable) throw new AppError('unavailable', 'AWAY', 'away');
            return heard.obligationsOf.get(userId) ?? GetObligationsResponse.create();
          }),
      }),
      serve(OwnershipServiceService, {
        countOwnedServers: async ({ userIds }) =>
          answer(async () => {
            await heard.whileCounting();
            const counts = userIds.map((id) => [id, heard.serversOf.get(id) ?? 0] as const);
            return { countByUserId: Object.fromEntries(counts.filter(([, count]) => count > 0)) };
          }),
        removeUserFromServers: async ({ userId }) =>
          answer(() => {
            if (heard.refusesRemovals) throw new AppError('unavailable', 'AWAY', 'away');
            heard.removedUsers.push(userId);
            return {};
          }),
      }),
    ],
    {
      listen: '127.0.0.1:0',
      signer: createActorSigner(serviceSecret),
      log: createLogger({ service: 'test', level: 'silent' }),
    },
  );
  server.setReady(true);
  return Object.assign(heard, { address: server.address, stop: async () => server.stop(100) });
}

export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  await waitUntil(what, isSo);
}

/** From the latest mail to the address. */
export async function mailedToken(fakeServices: FakeServices, email: string, count = 1): Promise<string> {
  const mailsTo = () => fakeServices.mails.filter(({ to }) => to === email);
  await until(() => mailsTo().length >= count, `${count} mails to ${email}`);
  const mail = mailsTo().at(-1)?.mail;
  if (mail?.$case === 'resetPassword' || mail?.$case === 'setPassword') return mail.value.token;
  return expect.fail('the latest mail holds no link');
}
