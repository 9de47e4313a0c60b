import { fieldProblem, invalidFields, isAppError } from '@panel/kit/errors';
import type { BillingContext } from '../../context.js';

const timeoutMs = 5_000;

/**
 * Before the write, and after it: a deletion hides the egg first and then queries products, so that one of the two sees
 * the other. Throws INVALID_FIELDS.
 */
export async function requireEgg({ eggs }: Pick<BillingContext, 'eggs'>, eggId: string): Promise<void> {
  try {
    await eggs.getEgg({ eggId }, { timeoutMs });
  } catch (error) {
    if (!isAppError(error, 'EGG_NOT_FOUND')) throw error;
    throw invalidFields({ 'server.egg_id': [fieldProblem('not_found', 'is no egg')] });
  }
}
