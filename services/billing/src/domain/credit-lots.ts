import type { CreditEntry, CreditLot } from './credit.js';

export interface Holdings {
  /** The sum of the lots; negative: a debt, without lots. */
  readonly balanceMinor: number;
  readonly lots: readonly CreditLot[];
}

export interface MoveOptions {
  /** What the lots lack becomes a debt. */
  readonly mayOwe?: boolean;
  /** Less where less is there. */
  readonly isAtMost?: boolean;
  /** Takes from the lots of this reference: only, or first with `mayOwe`. */
  readonly of?: string;
  /** Gives back to these lots. Absent: a new one. */
  readonly into?: readonly CreditLot[];
}

/** The holdings after an entry, and the entry with its real amount and lots; null: insufficient. */
export function moveCredits(
  holdings: Holdings,
  entry: CreditEntry,
  options: MoveOptions = {},
): (Holdings & { readonly entry: CreditEntry }) | null {
  return entry.amountMinor < 0 ? spend(holdings, entry, options) : receive(holdings, entry, options);
}

function spend(
  { balanceMinor, lots }: Holdings,
  entry: CreditEntry,
  { mayOwe = false, isAtMost = false, of = '' }: MoveOptions,
) {
  const isOwn = (lot: CreditLot) => of !== '' && lot.reference === of;
  const usable = of === '' || mayOwe ? lots : lots.filter(isOwn);
  const available = sumOf(usable);
  const wanted = -entry.amountMinor;
  if (available < wanted && !mayOwe && !isAtMost) return null;
  const amountMinor = isAtMost ? Math.min(wanted, available) : wanted;
  const order = inSpendingOrder(usable);
  const taken = takeParts([...order.filter(isOwn), ...order.filter((lot) => !isOwn(lot))], amountMinor);
  const left = lots.flatMap((lot) => {
    const part = taken.find(({ id }) => id === lot.id)?.amountMinor ?? 0;
    return part === lot.amountMinor ? [] : [{ ...lot, amountMinor: lot.amountMinor - part }];
  });
  return {
    balanceMinor: balanceMinor - amountMinor,
    lots: left,
    entry: { ...entry, amountMinor: 0 - amountMinor, lots: taken },
  };
}

/** A debt takes its part first. */
function receive({ balanceMinor, lots }: Holdings, entry: CreditEntry, { into }: MoveOptions) {
  const { id, amountMinor, createdAt: openedAt } = entry;
  const own = amountMinor === 0 ? [] : [{ id, ...sourceOf(entry), openedAt, amountMinor }];
  const parts = mergedById(into ?? own);
  if (sumOf(parts) !== amountMinor) throw new RangeError('parts of an entry must sum to its amount');
  const forDebt = Math.min(amountMinor, Math.max(0, -balanceMinor));
  const kept = takeParts(inSpendingOrder(parts).toReversed(), amountMinor - forDebt);
  const changed = lots.map((lot) => {
    const part = kept.find(({ id }) => id === lot.id)?.amountMinor ?? 0;
    return { ...lot, amountMinor: lot.amountMinor + part };
  });
  const opened = kept.filter(({ id }) => !lots.some((lot) => lot.id === id));
  return {
    balanceMinor: balanceMinor + amountMinor,
    lots: [...changed, ...opened],
    entry: { ...entry, lots: kept },
  };
}

function sourceOf({ reason, reference }: CreditEntry): Pick<CreditLot, 'source' | 'reference'> {
  switch (reason) {
    case 'purchase':
    case 'overpayment':
    case 'refund':
      return { source: 'payment', reference };
    case 'grant':
    case 'gift':
      return { source: 'promotion', reference: '' };
    default:
      return { source: 'correction', reference: '' };
  }
}

function mergedById(parts: readonly CreditLot[]): CreditLot[] {
  const merged = new Map<string, CreditLot>();
  for (const part of parts) {
    const before = merged.get(part.id)?.amountMinor ?? 0;
    merged.set(part.id, { ...part, amountMinor: before + part.amountMinor });
  }
  return [...merged.values()];
}

/** Promotions first, then the oldest; of one moment in their order. */
function inSpendingOrder(lots: readonly CreditLot[]): CreditLot[] {
  const rank = ({ source }: CreditLot) => (source === 'promotion' ? 0 : 1);
  return lots.toSorted((a, b) => rank(a) - rank(b) || a.openedAt.getTime() - b.openedAt.getTime());
}

/** In their order, as far as they go. */
export function takeParts(lots: readonly CreditLot[], amountMinor: number): CreditLot[] {
  let open = amountMinor;
  return lots.flatMap((lot) => {
    const part = Math.min(open, lot.amountMinor);
    open -= part;
    return part > 0 ? [{ ...lot, amountMinor: part }] : [];
  });
}

/** The rest, without the first parts of that amount. */
export function dropParts(lots: readonly CreditLot[], amountMinor: number): CreditLot[] {
  let open = amountMinor;
  return lots.flatMap((lot) => {
    const part = Math.min(open, lot.amountMinor);
    open -= part;
    return part < lot.amountMinor ? [{ ...lot, amountMinor: lot.amountMinor - part }] : [];
  });
}

export function sumOf(lots: readonly Pick<CreditLot, 'amountMinor'>[]): number {
  return lots.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}
