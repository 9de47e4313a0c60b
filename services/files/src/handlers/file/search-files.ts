import { type FieldMessages, fieldProblem, requireValid } from '@panel/kit/errors';
import type { FileServiceService, SearchFilesRequest } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { parseRoot } from '../read-paths.js';
import { presentEntry } from '../../present/file-entry.js';
import { searchFiles } from '../../usecases/files/search-files.js';
import { readGrant } from '../read-grant.js';

const defaultLimit = 100;
const maxLimit = 500;
const maxTextLength = 200;

export function handleSearchFiles(context: FilesContext): Handler<FileServiceService['searchFiles']> {
  return async function* (request, { signal, permission }) {
    const grant = readGrant(context, request.grant, permission);
    checkRequest(request);
    const { name, content } = request;
    const limit = request.limit === 0 ? defaultLimit : request.limit;
    for await (const found of searchFiles(context, {
      grant,
      signal,
      root: parseRoot(request.root),
      name,
      content,
      limit,
    })) {
      if (found.kind === 'summary') {
        yield { part: { $case: 'summary', value: { complete: found.isComplete, entriesSearched: found.entries } } };
      } else {
        const { entry, path, line, text } = found;
        yield { part: { $case: 'match', value: { entry: presentEntry(entry), path, line, text } } };
      }
    }
  };
}

function checkRequest({ name, content, limit }: SearchFilesRequest): void {
  const fields: FieldMessages = {};
  if (name === '' && content === '')
    fields['name'] = [fieldProblem('conflicting', 'must not be empty without content')];
  if (name.length > maxTextLength)
    fields['name'] = [fieldProblem('too_long', `must be at most ${maxTextLength} characters`)];
  if (content.length > maxTextLength)
    fields['content'] = [fieldProblem('too_long', `must be at most ${maxTextLength} characters`)];
  if (limit < 0 || limit > maxLimit) fields['limit'] = [fieldProblem('out_of_range', `must be 1 to ${maxLimit}`)];
  requireValid(fields);
}
