import { readFileSync } from 'node:fs'

/** The URL in the files of `clients/`, which the guide quotes. */
const WRITTEN = 'http://localhost:3000/mcp'

/** The text to paste into each client, on one line, for an MCP server at a URL. */
export function clientSettings(url: string): Readonly<Record<string, string>> {
  const read = (file: string): string => {
    const text = readFileSync(new URL(`../clients/${file}`, import.meta.url), 'utf8')
    const line = file.endsWith('.json') ? JSON.stringify(JSON.parse(text)) : text.trim()
    return line.replaceAll(WRITTEN, url)
  }
  return {
    'Claude Code': read('claude-code.sh'),
    '.vscode/mcp.json': read('vscode.json'),
    '.cursor/mcp.json': read('cursor.json'),
    'MCP Inspector': read('inspector.sh'),
  }
}
