import { defineModel, type DocumentOf, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { KeyedMutex } from '@panel/kit/async';
import { count, date, flag, id, listOf, number, oneOf, optional, part, text } from '@panel/kit/records';
import { accountIdOf, type CreditEntry, type CreditReason, creditReasons, lotList } from '../domain/credit.js';
import { moveCredits, type MoveOptions, sumOf } from '../domain/credit-lots.js';
import { maxTotalMinor } from '../domain/money.js';
import { journalOfCredits } from '../domain/journal-of-credits.js';
import type { Money } from '../domain/payment.js';
import { maxQueryMs } from './fields.js';
import type { JournalStore } from './journal.js';
import { ignoreDuplicate } from './write-result.js';

const entryFields = {
  id,
  amountMinor: count,
  reason: oneOf(creditReasons),
  note: text,
  reference: text,
  createdAt: date,
  lots: optional(lotList),
  /** Account of the journal on the other side. */
  against: optional(text),
};

/** Sharding: by _id (hashed); an account is one document. */
const accountSchema = documentSchema({
  /** User and currency: one account per currency. */
  id,
  userId: id,
  currency: id,
  balanceMinor: count,
  lots: lotList,
  /** Not yet in the ledger. */
  pending: listOf(part(entryFields)),
  /** Grows with each change of entries. */
  version: number,
  hasPending: flag,
});
type AccountDocument = DocumentOf<typeof accountSchema>;
accountSchema.index({ hasPending: 1 }, { name: 'account_pending', partialFilterExpression: { hasPending: true } });

/** Append-only. Sharding: by accountId (hashed). */
const ledgerSchema = documentSchema({ ...entryFields, _id: id, id, accountId: id, userId: id, currency: id });
type LedgerDocument = DocumentOf<typeof ledgerSchema>;
ledgerSchema.index({ accountId: 1, createdAt: -1 }, { name: 'ledger_account' });
ledgerSchema.index({ reason: 1, createdAt: 1 }, { name: 'ledger_reason' });
ledgerSchema.index({ 'lots.reference': 1 }, { name: 'ledger_lots', sparse: true });

interface LedgerMismatch {
  readonly accountId: string;
  readonly balanceMinor: number;
  readonly sumMinor: number;
}

/** Balances and their ledger. */
export interface CreditStore {
  balance(userId: string, currency: string): Promise<number>;
  /** One currency; omits customers without an account. */
  balances(userIds: readonly string[], currency: string): Promise<Map<string, number>>;
  /** Above zero. */
  ofUser(userId: string): Promise<Money[]>;
  /** With the part of it that was granted, without money behind it. */
  holdings(
    userId: string,
    currency: string,
  ): Promise<{ readonly balanceMinor: number; readonly promotionalMinor: number }>;
  /** Idempotent by entry id. `known`: the id exists, with any content. */
  post(entry: CreditEntry, options?: MoveOptions): Promise<'posted' | 'known' | 'insufficient'>;
  /** Balances below zero, as positive amounts. */
  debts(userId: string): Promise<Money[]>;
  find(entryId: string, userId: string, currency: string): Promise<CreditEntry | null>;
  /** Newest first, without marks (amount 0). */
  list(userId: string, currency: string, limit: number): Promise<CreditEntry[]>;
  /** In the ledger, without pending ones. */
  entriesSince(since: Date, reasons: readonly CreditReason[]): AsyncIterable<CreditEntry>;
  /** What was spent of the payment of an invoice: the references of the entries. */
  spentOf(invoiceId: string, userId: string, currency: string): Promise<Set<string>>;
  /** Of the entries that the ledger has; the others; grows with each change. */
  state(
    userId: string,
    currency: string,
  ): Promise<{ readonly drainedMinor: number; readonly pendingIds: readonly string[]; readonly version: number }>;
  pendingAccounts(limit: number): Promise<string[]>;
  drain(accountId: string): Promise<void>;
  /** Sums that differ from the balance, or from the lots. */
  findMismatches(): Promise<LedgerMismatch[]>;
}

const maxPending = 100;
const maxTries = 500;

export function createCreditStore(connection: MongoConnection, journal: Pick<JournalStore, 'insert'>): CreditStore {
  const accounts = defineModel(connection, 'CreditAccount', accountSchema, 'credit_accounts');
  const ledger = defineModel(connection, 'LedgerRow', ledgerSchema, 'credit_ledger');

  /** The other entries of this process for an account wait: they would only fail. */
  const turns = new KeyedMutex();
  const read = async (accountId: string) => accounts.findById(accountId).maxTimeMS(maxQueryMs).lean();

  /** Journal and rows first, then removal: an entry is always in one of the two, counted once by id. */
  const drainAccount = async (account: AccountDocument): Promise<void> => {
    const { _id: accountId, userId, currency, pending } = account;
    const entries = pending.map((entry) => journalOfCredits({ ...entry, userId, currency }));
    await journal.insert(entries.filter((entry) => entry !== null));
    for (const entry of pending) {
      await ignoreDuplicate(ledger.create([{ ...entry, _id: entry.id, accountId, userId, currency }]));
    }
    const ids = pending.map((entry) => entry.id);
    await accounts
      .updateOne({ _id: accountId }, { $pull: { pending: { id: { $in: ids } } }, $inc: { version: 1 } })
      .maxTimeMS(maxQueryMs);
    await accounts
      .updateOne({ _id: accountId, pending: { $size: 0 } }, { $set: { hasPending: false } })
      .maxTimeMS(maxQueryMs);
  };

  const open = async (accountId: string, { userId, currency }: CreditEntry): Promise<void> => {
    const empty = { balanceMinor: 0, lots: [], pending: [], version: 0, hasPending: false };
    await ignoreDuplicate(accounts.create([{ _id: accountId, userId, currency, ...empty }]));
  };

  /** One attempt. Every change of an account since it was read fails the update. */
  const tryPost = async (account: AccountDocument, entry: CreditEntry, options?: MoveOptions) => {
    if (account.pending.some((pending) => pending.id === entry.id)) return 'known';
    if (await ledger.exists({ _id: entry.id }).maxTimeMS(maxQueryMs)) return 'known';
    const moved = moveCredits(account, entry, options);
    if (!moved) return 'insufficient';
    const { balanceMinor, lots } = moved;
    if (Math.abs(balanceMinor) > maxTotalMinor) throw new RangeError('a balance would be too large');
    const { userId: _user, currency: _currency, ...pending } = moved.entry;
    const { matchedCount } = await accounts
      .updateOne(
        { _id: account._id, version: account.version },
        { $set: { balanceMinor, lots, hasPending: true }, $push: { pending }, $inc: { version: 1 } },
      )
      .maxTimeMS(maxQueryMs);
    return matchedCount === 1 ? 'posted' : null;
  };

  const balancesOf = async (userId: string, balanceMinor: { readonly $gt: 0 } | { readonly $lt: 0 }) => {
    const found = await accounts
      .find({ _id: { $gte: `${userId}:`, $lt: `${userId};` }, userId, balanceMinor })
      .sort({ _id: 1 })
      .maxTimeMS(maxQueryMs)
      .lean();
    return found.map(({ currency, balanceMinor: amountMinor }): Money => ({ amountMinor, currency }));
  };

  return {
    balance: async (userId, currency) => (await read(accountIdOf(userId, currency)))?.balanceMinor ?? 0,
    balances: async (userIds, currency) => {
      const found = await accounts
        .find({ _id: { $in: userIds.map((userId) => accountIdOf(userId, currency)) } }, { userId: 1, balanceMinor: 1 })
        .maxTimeMS(maxQueryMs)
        .lean();
      return new Map(found.map(({ userId, balanceMinor }) => [userId, balanceMinor]));
    },
    ofUser: async (userId) => balancesOf(userId, { $gt: 0 }),
    debts: async (userId) =>
      (await balancesOf(userId, { $lt: 0 })).map(({ amountMinor, currency }) => ({
        amountMinor: -amountMinor,
        currency,
      })),
    holdings: async (userId, currency) => {
      const { balanceMinor = 0, lots = [] } = (await read(accountIdOf(userId, currency))) ?? {};
      return { balanceMinor, promotionalMinor: sumOf(lots.filter(({ source }) => source === 'promotion')) };
    },
    post: async (entry, options) => {
      const accountId = accountIdOf(entry.userId, entry.currency);
      return turns.run(accountId, async () => {
        for (let tries = 0; tries < maxTries; tries++) {
          const account = await read(accountId);
          if (!account) {
            await open(accountId, entry);
            continue;
          }
          if (account.pending.length >= maxPending) {
            await drainAccount(account);
            continue;
          }
          const result = await tryPost(account, entry, options);
          if (result) return result;
        }
        throw new Error('an account changes too fast to post to it');
      });
    },
    find: async (entryId, userId, currency) => {
      // Account first: an entry drained meanwhile is in the ledger.
      const account = await read(accountIdOf(userId, currency));
      const pending = account?.pending.find((entry) => entry.id === entryId);
      if (pending) return { ...pending, userId, currency };
      const row = await ledger
        .findOne({ _id: entryId, accountId: accountIdOf(userId, currency) })
        .maxTimeMS(maxQueryMs)
        .lean();
      return row && entryOf(row);
    },
    list: async (userId, currency, limit) => {
      const accountId = accountIdOf(userId, currency);
      const account = await read(accountId);
      const rows = await ledger
        .find({ accountId, amountMinor: { $ne: 0 } })
        .sort({ createdAt: -1, _id: 1 })
        .limit(limit)
        .maxTimeMS(maxQueryMs)
        .lean();
      const pending = (account?.pending ?? []).filter(({ amountMinor }) => amountMinor !== 0);
      const all = new Map(
        [...pending.map((entry) => ({ ...entry, userId, currency })), ...rows.map(entryOf)].map((entry) => [
          entry.id,
          entry,
        ]),
      );
      return [...all.values()].sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime()).slice(0, limit);
    },
    entriesSince: async function* (since, reasons) {
      const rows = ledger.find({ reason: { $in: [...reasons] }, createdAt: { $gte: since } });
      for await (const row of rows.lean().cursor()) yield entryOf(row);
    },
    spentOf: async (invoiceId, userId, currency) => {
      const accountId = accountIdOf(userId, currency);
      const isOf = ({ amountMinor, lots = [] }: Pick<CreditEntry, 'amountMinor' | 'lots'>) =>
        amountMinor < 0 && lots.some(({ reference }) => reference === invoiceId);
      const account = await read(accountId);
      const drained: string[] = await ledger
        .distinct('reference', { accountId, 'lots.reference': invoiceId, amountMinor: { $lt: 0 } })
        .maxTimeMS(maxQueryMs);
      return new Set([...(account?.pending ?? []).filter(isOf).map(({ reference }) => reference), ...drained]);
    },
    state: async (userId, currency) => {
      const { balanceMinor = 0, pending = [], version = 0 } = (await read(accountIdOf(userId, currency))) ?? {};
      const drainedMinor = pending.reduce((sum, { amountMinor }) => sum - amountMinor, balanceMinor);
      return { drainedMinor, pendingIds: pending.map(({ id: entryId }) => entryId), version };
    },
    pendingAccounts: async (limit) => {
      const found = await accounts.find({ hasPending: true }, { _id: 1 }).limit(limit).maxTimeMS(maxQueryMs).lean();
      return found.map(({ _id }) => _id);
    },
    drain: async (accountId) => {
      const account = await read(accountId);
      if (account) await drainAccount(account);
    },
    findMismatches: async () => findMismatches(accounts, ledger, read),
  };
}

function entryOf({ _id, accountId: _account, ...entry }: LedgerDocument): CreditEntry {
  return { ...entry, id: _id };
}

type Accounts = ReturnType<typeof defineModel<AccountDocument>>;
type Ledger = ReturnType<typeof defineModel<LedgerDocument>>;

/** Reads accounts again: only lasting differences count. */
async function findMismatches(
  accounts: Accounts,
  ledger: Ledger,
  read: (id: string) => Promise<AccountDocument | null>,
): Promise<LedgerMismatch[]> {
  const found: LedgerMismatch[] = [];
  for await (const { _id: accountId } of accounts.find({}, { _id: 1 }).lean().cursor()) {
    for (let tries = 0; tries < 5; tries++) {
      const before = await read(accountId);
      const pendingIds = (before?.pending ?? []).map((entry) => entry.id);
      const [sum] = await ledger.aggregate<{ total: number }>([
        { $match: { accountId, _id: { $nin: pendingIds } } },
        { $group: { _id: null, total: { $sum: '$amountMinor' } } },
      ]);
      const after = await read(accountId);
      if (!before || !after || before.version !== after.version) continue;
      const pending = before.pending.reduce((total, { amountMinor }) => total + amountMinor, 0);
      const sumMinor = (sum?.total ?? 0) + pending;
      const isWrong = sumMinor !== before.balanceMinor || sumOf(before.lots) !== Math.max(0, sumMinor);
      if (isWrong) found.push({ accountId, balanceMinor: before.balanceMinor, sumMinor });
      break;
    }
  }
  return found;
}
