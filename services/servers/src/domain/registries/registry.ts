import { count, date, id, oneOf, orNull, type RecordOf, text } from '@panel/kit/records';

export const maxRegistries = 200;

const secretKinds = ['password', 'identity_token'] as const;

/** Its secret is sealed in storage and opened for pulls only. */
export const registryFields = {
  id,
  /** As image references name it. */
  host: id,
  /** Null: for all eggs without one of their own. */
  eggId: orNull(id),
  /** Empty: an identity token without one. */
  username: text,
  secretKind: oneOf(secretKinds),
  /** Each change counts. */
  revision: count,
  createdAt: date,
  updatedAt: date,
};
export type Registry = RecordOf<typeof registryFields>;

export interface RegistrySecret {
  readonly kind: Registry['secretKind'];
  readonly text: string;
}
