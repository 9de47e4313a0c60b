import type { Migration } from '@panel/kit/mongo';

/** Units have an id of their own and are returned one by one; suspensions have several reasons. */
export const unitsAndReasons: Migration = {
  name: '0002-units-and-reasons',
  run: async (mongo) => {
    const unit = { id: '$_id', productId: '$unitProductId' };
    const units = { unit, unitsDue: { $cond: ['$returnDue', [unit], []] } };
    const suspendReasons = { $cond: [{ $eq: ['$suspendReason', null] }, [], ['$suspendReason']] };
    await mongo
      .collection('subscriptions')
      .updateMany({ unit: { $exists: false } }, [
        { $set: { ...units, suspendReasons } },
        { $unset: ['unitProductId', 'returnDue', 'suspendReason'] },
      ]);
  },
};
