import type { Node } from './node.js';

export type YamlNode = Node & {
  /** Within braces or brackets. */
  readonly isFlow: boolean;
  /** Column of the enclosing map or list; -1 for the document. */
  readonly outerColumn: number;
};
