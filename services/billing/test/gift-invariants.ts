import type { MongoConnection } from '@panel/kit/mongo';
import { type GiftCode, giftEntry } from '../src/domain/gift-code.js';
import type { LedgerRow } from './invariants.js';

/** Credits of gift codes and redemptions match one to one. One sentence per violation. */
export async function giftProblems(ledger: ReadonlyMap<string, LedgerRow>, mongo: MongoConnection): Promise<string[]> {
  const codes = await mongo.collection<Omit<GiftCode, 'id'> & { readonly _id: string }>('gift_codes').find().toArray();
  const given = new Map(
    codes.flatMap((code) =>
      code.redemptions.map((redemption) => {
        const { id, amountMinor } = giftEntry({ ...code, id: code._id }, redemption);
        return [id, amountMinor] as const;
      }),
    ),
  );
  const rows = [...ledger.values()].filter(({ reason }) => reason === 'gift');
  return [
    ...rows
      .filter(({ _id, amountMinor }) => given.get(_id) !== amountMinor)
      .map(({ _id }) => `gift ${_id} in the ledger follows no redemption`),
    ...[...given].filter(([id]) => !ledger.has(id)).map(([id]) => `gift ${id} is redeemed and not in the ledger`),
    ...codes.flatMap(({ _id, uses, redeemed, redemptions }) => [
      ...(redeemed === redemptions.length && redeemed <= uses
        ? []
        : [`gift code ${_id} counts ${redeemed} of ${uses}`]),
      ...(new Set(redemptions.map(({ userId }) => userId)).size === redemptions.length
        ? []
        : [`a customer has redeemed gift code ${_id} twice`]),
      ...redemptions
        .filter(({ openSince }) => openSince)
        .map(({ userId }) => `gift code ${_id} is still to be given to ${userId}`),
    ]),
  ];
}
