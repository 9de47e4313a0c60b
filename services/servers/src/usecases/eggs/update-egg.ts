import type { ServersContext } from '../../context.js';
import { checkEgg, expressionsOf } from '../../domain/eggs/check-egg.js';
import { withCleanTexts } from '../../domain/eggs/clean-texts.js';
import type { Egg, EggSpec, EggVariable } from '../../domain/eggs/egg.js';
import { getEgg } from './get-egg.js';
import { changeEgg } from './store-egg.js';

interface EggUpdate {
  /** Empty: unchanged. */
  readonly nestId: string;
  readonly spec: Partial<EggSpec>;
}

/** Throws EGG_NOT_FOUND, INVALID_FIELDS. */
export async function updateEgg(
  { stores, clock }: Pick<ServersContext, 'stores' | 'clock'>,
  eggId: string,
  { nestId, spec: given }: EggUpdate,
): Promise<Egg> {
  const egg = await getEgg({ stores }, eggId);
  const clean = withCleanTexts(given);
  const spec = clean.variables ? { ...clean, variables: withGivenNames(clean.variables, egg.spec.variables) } : clean;
  checkEgg({ ...egg.spec, ...spec }, expressionsOf(egg.spec));
  return changeEgg(stores, eggId, { spec, nestId }, clock());
}

/** Those of the egg's file, which messages lack. */
function withGivenNames(variables: readonly EggVariable[], before: readonly EggVariable[]): EggVariable[] {
  const names = new Map(before.map(({ envVariable, givenName }) => [envVariable, givenName]));
  return variables.map((variable) => {
    const givenName = names.get(variable.envVariable);
    return givenName === undefined ? variable : { ...variable, givenName };
  });
}
