import type { Node } from './node.js';

/** With style and position. */
export type YamlNode = Node & {
  /** Within braces or brackets, its own or outer ones. */
  readonly isFlow: boolean;
  /** Column of the enclosing map or list; -1 for the document. */
  readonly outerColumn: number;
};
