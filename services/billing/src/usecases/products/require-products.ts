import { type FieldMessages, fieldProblem } from '@panel/kit/errors';
import type { BillingContext } from '../../context.js';

/** Problems of ids that name no product. `known`: of before, which may be gone by now. */
export async function productIdProblems(
  { products }: Pick<BillingContext, 'products'>,
  field: string,
  ids: readonly string[],
  known: readonly string[] = [],
): Promise<FieldMessages> {
  const added = ids.filter((id) => !known.includes(id));
  if (added.length === 0) return {};
  const found = new Set((await products.getMany(added)).map(({ id }) => id));
  const missing = added.filter((id) => !found.has(id));
  return missing.length === 0 ? {} : { [field]: [fieldProblem('not_found', `name no product: ${missing.join(', ')}`)] };
}
