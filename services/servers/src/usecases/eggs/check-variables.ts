import { requireValid } from '@panel/kit/errors';
import type { ServersContext } from '../../context.js';
import { checkEnvironment } from '../../domain/servers/environment.js';
import { getEgg } from './get-egg.js';

/** Whether a server could be created with these values. Throws EGG_NOT_FOUND, INVALID_FIELDS with `environment.<VAR>`. */
export async function checkVariables(
  context: Pick<ServersContext, 'stores'>,
  eggId: string,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const { spec } = await getEgg(context, eggId);
  requireValid(checkEnvironment(spec.variables, environment));
}
