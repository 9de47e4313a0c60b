import { type FieldMessages, fieldProblem, type FieldReason, isAppError } from '@panel/kit/errors';
import type { BillingContext } from '../../context.js';
import type { ItemConfig } from '../../domain/cart.js';
import type { Product } from '../../domain/product.js';

type EggDeps = Pick<BillingContext, 'eggs' | 'log'>;

const timeoutMs = 2_000;

/**
 * By the rules of the product's egg, so that nothing is paid for that could not be created; below `prefix`. None while
 * the servers service is unavailable: the creation of the server checks the values too, and is refunded.
 */
export async function variableProblems(
  { eggs, log }: EggDeps,
  { server }: Pick<Product, 'server'>,
  config: Pick<ItemConfig, 'environment'>,
  prefix: string,
): Promise<FieldMessages> {
  try {
    const environment = { ...config.environment, ...server.environment };
    await eggs.checkVariables({ eggId: server.eggId, environment }, { timeoutMs });
    return {};
  } catch (error) {
    if (isAppError(error, 'EGG_NOT_FOUND'))
      return { [`${prefix}product_id`]: [fieldProblem('not_found', 'is not for sale')] };
    if (isAppError(error, 'INVALID_FIELDS')) return problemsOf(error.metadata, `${prefix}config.`);
    log.warn({ err: error, eggId: server.eggId }, 'the variables of a purchase could not be checked');
    return {};
  }
}

function problemsOf(metadata: Readonly<Record<string, unknown>>, prefix: string): FieldMessages {
  const { fields = {}, reasons = {} } = metadata as {
    readonly fields?: Readonly<Record<string, readonly string[]>>;
    readonly reasons?: Readonly<Record<string, readonly FieldReason[]>>;
  };
  return Object.fromEntries(
    Object.entries(fields).map(([name, messages]) => [
      `${prefix}${name}`,
      messages.map((message, at) => fieldProblem(reasons[name]?.[at] ?? 'invalid', message)),
    ]),
  );
}
