/** User and group that own a volume and run the game. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}
