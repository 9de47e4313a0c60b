import type { JournalLine } from './journal.js';

export interface DatevSettings {
  readonly consultant: number;
  readonly client: number;
  /** 1 to 12, in which the fiscal year begins. */
  readonly fiscalMonth: number;
  /** Of an account of the ledger; those of persons have one more. */
  readonly accountDigits: number;
  /** By account of the journal, or the beginning of one before a colon. */
  readonly accounts: ReadonlyMap<string, string>;
}

/** `accounts` as "cash=1360,tax:DE:1900=1776". Null: without numbers. */
export function datevSettings({
  accounts,
  ...settings
}: Omit<DatevSettings, 'accounts'> & { readonly accounts: string }): DatevSettings | null {
  if (settings.consultant === 0 || settings.client === 0) return null;
  const pairs = accounts.split(',').map((pair) => pair.trim().split('='));
  return {
    ...settings,
    accounts: new Map(
      pairs.map(([name = '', account = '']) => [name, account.padEnd(settings.accountDigits, '0')] as const),
    ),
  };
}

/** By the longest name. Throws RangeError: the settings have none. */
function accountOf({ accounts }: DatevSettings, account: string): string {
  const parts = account.split(':');
  for (let length = parts.length; length > 0; length -= 1) {
    const found = accounts.get(parts.slice(0, length).join(':'));
    if (found !== undefined) return found;
  }
  throw new RangeError(`there is no account for ${account}`);
}

interface DatevPosting {
  readonly account: string;
  readonly counterAccount: string;
  /** Positive: debit of `account`, credit of the other. */
  readonly amountMinor: number;
}

/** Each account against the one that moves most; accounts that are one there become one before. */
export function datevPostings(settings: DatevSettings, lines: readonly JournalLine[]): DatevPosting[] {
  const sums = new Map<string, number>();
  for (const { account, amountMinor } of lines) {
    const name = accountOf(settings, account);
    sums.set(name, (sums.get(name) ?? 0) + amountMinor);
  }
  const moved = [...sums].filter(([, amountMinor]) => amountMinor !== 0);
  const mostMinor = Math.max(...moved.map(([, amountMinor]) => Math.abs(amountMinor)));
  const counterAccount = moved.find(([, amountMinor]) => Math.abs(amountMinor) === mostMinor)?.[0] ?? '';
  return moved
    .filter(([account]) => account !== counterAccount)
    .map(([account, amountMinor]) => ({ account, counterAccount, amountMinor }));
}
