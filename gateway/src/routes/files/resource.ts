import {
  CopyFileResponse,
  FileEntry,
  RestoreFileVersionResponse,
  SearchFilesResponse_Match,
  Upload,
} from '@panel/protos/files';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { listQuery } from '../../declaration/list-query.js';
import { base64Content, uploadedContent } from '../../declaration/uploaded-content.js';
import { time } from '../../declaration/present.js';
import { resource } from '../../declaration/resource.js';
import { serverPath } from '../../declaration/text.js';

export const filePath = serverPath.min(1);

const entryFields = resource(FileEntry, '', {
  name: is.text('name'),
  mode: is.text('mode', 'as in ls -l'),
  mode_bits: is.text('modeBits', 'octal'),
  size: is.int('sizeBytes', 'bytes'),
  is_file: is.flag('isFile'),
  is_symlink: is.flag('isSymlink'),
  mimetype: is.text('mimetype'),
  created_at: is.timeOrNull('createTime'),
  modified_at: is.timeOrNull('modifyTime'),
});

/** Where it is: the message of an entry alone has its name only. */
export const fileEntry = entryFields.schema
  .extend({ path: z.string().describe('absolute inside the server') })
  .meta({ id: 'FileEntry' });

export function presentEntry(entry: FileEntry | undefined, path: string): z.input<typeof fileEntry> {
  return { ...entryFields.present(entry), path };
}

/** Of a path as a client writes it, which the files service has accepted. */
export function absolutePath(...parts: readonly string[]): string {
  const names = parts.flatMap((part) => part.split('/')).filter((name) => name !== '' && name !== '.');
  return `/${names.join('/')}`;
}

export const listFilesQuery = listQuery('name', 'size', 'modified_at', 'mimetype').extend({
  directory: filePath.default('/').describe('absolute path inside the server'),
});

export const listExtraMeta = z.object({ truncated: z.boolean().describe('there are more entries than can be shown') });

export const searchExtraMeta = z.object({
  complete: z.boolean().describe('everything was searched; false when a bound was reached first'),
  entries_searched: z.int(),
});

export const fileMatch = resource(SearchFilesResponse_Match, 'FileMatch', {
  ...is.within('entry', entryFields),
  path: is.text('path'),
  line: is.positiveOrNull('line', 'first line that holds the content'),
  text: is.text('text', 'that line, at most 200 characters'),
});

export const fileContentsQuery = z.object({ path: filePath.describe('absolute path inside the server') });

export const writtenFile = resource(RestoreFileVersionResponse, 'WrittenFile', {
  ...is.within('entry', entryFields),
  path: is.text('path'),
  sha256: is.text('sha256', 'of what was written'),
});

export const writeFileQuery = z.object({
  path: filePath.optional().describe('where to; for a body of bytes'),
});

export const writeFileBody = z
  .strictObject({ path: filePath, ...uploadedContent })
  .refine(base64Content.check, base64Content.problem);

export const createDirectoryBody = z.strictObject({ path: filePath });

const renamed = z.strictObject({ from: filePath, to: filePath });
const renamedFiles = z.array(renamed).min(1).max(100);
export const root = serverPath.default('/').describe('what the paths are relative to');

/** One file by `from` and `to`, or many in `files`. */
export const renameBody = z
  .strictObject({
    root,
    files: renamedFiles.optional(),
    from: filePath.optional().describe('instead of `files`, together with `to`: one file'),
    to: filePath.optional().describe('instead of `files`, together with `from`'),
  })
  .transform(({ root: base, files, from, to }, context) => {
    const isSingle = from !== undefined || to !== undefined;
    if (files !== undefined && !isSingle) return { root: base, files };
    if (from !== undefined && to !== undefined && files === undefined) return { root: base, files: [{ from, to }] };
    const missing = isSingle
      ? [...(from === undefined ? ['from'] : []), ...(to === undefined ? ['to'] : [])]
      : ['files'];
    const [paths, message] =
      missing.length > 0 ? [missing, 'is required'] : [['files'], 'cannot be combined with from'];
    for (const path of paths) context.addIssue({ code: 'custom', path: [path], message });
    return z.NEVER;
  });

export const copyBody = z.strictObject({
  path: filePath,
  to: filePath.optional().describe('without it "name copy.ext" beside it'),
});

export const copiedFile = resource(CopyFileResponse, '', {
  ...is.within('entry', entryFields),
  path: is.text('path'),
});

export const deleteBody = z.strictObject({ root, files: z.array(filePath).min(1).max(100) });

export const doneFiles = z.strictObject({ files: z.int().describe('how many it was') });

export const fileContents = z
  .strictObject({
    path: z.string(),
    content: z.string(),
    encoding: z.enum(['utf-8', 'base64']),
    size: z.int(),
    modified_at: time.nullable(),
    sha256: z.string(),
  })
  .meta({ id: 'FileContents' });

export const upload = resource(Upload, 'Upload', {
  id: is.uuid('uploadId'),
  path: is.text('path'),
  size: is.int('sizeBytes', 'bytes'),
  offset: is.int('offsetBytes', 'bytes that have arrived'),
  overwrite: is.flag('overwrite'),
  completed: is.flag('isCompleted', 'the file is in its place'),
  created_at: is.time('createTime'),
  expires_at: is.time('expireTime', 'when it is removed unless another piece arrives'),
});
