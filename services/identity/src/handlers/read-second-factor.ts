import type { VerifyTwoFactorRequest } from '@panel/protos/identity';
import type { SecondFactor } from '../usecases/two-factor/verify-second-factor.js';

export function readSecondFactor(proof: VerifyTwoFactorRequest['proof']): SecondFactor {
  return proof && { kind: proof.$case, value: proof.value };
}
