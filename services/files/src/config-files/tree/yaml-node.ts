import type { Node } from './node.js';

/** What is written across a map or list, or to the right of a key without a value. */
export type YamlNode = Node & {
  /** Between braces or brackets, itself or what is around it. */
  readonly isFlow: boolean;
  /** The column of the map or list that this is a value in; -1 for the document. */
  readonly outerColumn: number;
};
