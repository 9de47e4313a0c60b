import { createSeal, type Seal } from '@panel/kit/process';

/** Empty text stays empty. */
export type SecretBox = Pick<Seal, 'seal' | 'open'>;

/** Keyed by SERVICE_SECRET. */
export function createSecretBox(serviceSecret: string): SecretBox {
  const seal = createSeal([serviceSecret], 'panel-admin');
  return {
    seal: (text, place) => (text === '' ? '' : seal.seal(text, place)),
    open: (sealed, place) => (sealed === '' ? '' : seal.open(sealed, place)),
  };
}
