export type DirectoryOrder = 'default' | 'name' | 'size' | 'modified_at';

export interface DirectoryPageQuery {
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
  /** Literal, case-insensitive part of the name; empty: all. */
  readonly search: string;
  readonly order: DirectoryOrder;
  readonly isDescending: boolean;
}
