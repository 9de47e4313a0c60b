/** Owner of a volume and its game processes. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}
