import { expect } from 'chai';
import { readText, sources } from './files.js';

/*
 * The style of messages, as docs/errors.md has it: what an error is thrown with is a clause (lower case, no full stop),
 * of which the gateway makes a sentence; the message of a field continues the name of the field.
 */

interface Message {
  readonly file: string;
  readonly text: string;
}

const text = String.raw`(?:'((?:[^'\\\n]|\\.)+)'|\x60((?:[^\x60\\]|\\.)+)\x60)`;
const thrown = new RegExp(String.raw`\bfail\(\s*(?:'[A-Z0-9_]+'|[a-z]\w*(?:\.\w+)*),\s*${text}`, 'g');
const built = new RegExp(String.raw`new AppError\(\s*'[a-z_]+',\s*'[A-Z0-9_]+',\s*${text}`, 'g');
const ofRuntime = new RegExp(String.raw`\bruntimeError\(\s*'[A-Z_]+',\s*${text}`, 'g');
const ofInvalidFields = new RegExp(String.raw`\binvalidFields\([^;]*,\s*${text}\s*,?\s*\);`, 'g');
/** A text with a name of its own, because the line would be too long. */
const named = new RegExp(String.raw`const message =\s*${text};`, 'g');
const requestProblem = new RegExp(String.raw`\bbadRequest\(\s*${text}`, 'g');
/** `['must be a UUID']`, alone as the value of a field, and the messages that schemas carry. */
const ofField = new RegExp(String.raw`(?<!examples):\s*\[\s*${text}\s*,?\s*\]\s*[,}]`, 'g');
/** `fieldProblem('required', 'is required')`, wherever it stands. */
const ofProblem = new RegExp(String.raw`\bfieldProblem\(\s*(?:'[a-z_]+'|reason),\s*${text}`, 'g');
const ofSchema = new RegExp(String.raw`\.(?:regex|refine|min|max|length)\([^\n]*?,\s*${text}\s*\)`, 'g');

function messagesOf(...patterns: readonly RegExp[]): Message[] {
  return sources().flatMap((file) => {
    const source = readText(file);
    return patterns.flatMap((pattern) =>
      [...source.matchAll(pattern)].map(([, quoted, template]) => ({ file, text: quoted ?? template ?? '' })),
    );
  });
}

/** A text that continues the name of a field has the test below. */
const isOfField = ({ text: message }: Message) => /^(?:is|must|can|cannot|has|needs) /.test(message);

/** Texts of mails, and those that games print. */
const isOfOthers = ({ file }: Message) => /(mail-texts\/\w+|eggs\/features)\.ts$/.test(file);

/** `refuse(condition, field, message)` of the checks of a service, and `message:` of a schema's refinement. */
const ofCheck = new RegExp(String.raw`\brefuse\([^;\n]*,\s*'[a-z_.]+',\s*${text}\s*\);`, 'g');
const ofRefinement = new RegExp(String.raw`path: \[[^\]\n]*\],\s*message: ${text}`, 'g');

const print = ({ file, text: message }: Message) => `${file}: ${message}`;

describe('messages', () => {
  it('writes messages of errors as clauses: lower case, no full stop', () => {
    const messages = messagesOf(thrown, built, ofRuntime, ofInvalidFields, named, requestProblem).filter(
      (message) => !isOfField(message) && !isOfOthers(message),
    );
    expect(messages).to.have.length.of.at.least(300);
    const isClause = ({ text: message }: Message) =>
      /^(?:[a-z"]|\$\{|(?:Stripe|Mollie) |[A-Z][A-Za-z-]*[A-Z])/.test(message) && !/[.!](?:$|['"]$)/.test(message);
    expect(messages.filter((message) => !isClause(message)).map(print)).to.deep.equal([]);
  });

  it('writes messages of fields so that they continue the name of the field', () => {
    // Words alone are values.
    const messages = messagesOf(ofField, ofProblem, ofSchema, ofCheck, ofRefinement).filter(
      (message) => message.text.includes(' ') && !isOfOthers(message),
    );
    expect(messages).to.have.length.of.at.least(100);
    const continues = ({ text: message }: Message) =>
      /^(?:\$\{|is |are |has |have |must |can |cannot |may |needs? |does |do |holds? |names? |takes? )/.test(message) &&
      !message.endsWith('.');
    expect(messages.filter((message) => !continues(message)).map(print)).to.deep.equal([]);
  });
});
