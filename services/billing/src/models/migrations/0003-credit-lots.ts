import type { Migration } from '@panel/kit/mongo';

/** Credits stand in lots by their source, which is unknown of what was there before. */
export const creditLots: Migration = {
  name: '0003-credit-lots',
  run: async (mongo) => {
    const lot = { id: '$_id', source: 'correction', reference: '', openedAt: '$$NOW', amountMinor: '$balanceMinor' };
    const lots = { $cond: [{ $gt: ['$balanceMinor', 0] }, [lot], []] };
    await mongo
      .collection('credit_accounts')
      .updateMany({ lots: { $exists: false } }, [{ $set: { lots, version: '$drains' } }, { $unset: ['drains'] }]);
  },
};
