-- The editor's part of ci/lsp-neovim.sh.
local work, file = vim.env.SKILLS_WORK, vim.env.SKILLS_WORK .. '/pdf/SKILL.md'

local function finish(code)
  vim.cmd(code == 0 and 'qall!' or 'cquit ' .. code)
end

local function check(what, ok, got)
  io.stdout:write((ok and 'ok   ' or 'FAIL ') .. what .. (ok and '' or ': ' .. vim.inspect(got)) .. '\n')
  if not ok then
    finish(1)
  end
end

local function write(name, lines)
  vim.fn.writefile(lines, work .. '/pdf/' .. name)
end

-- setUp runs the snippet of the documentation for this version.
local function setUp()
  local snippets = {}
  for code in table.concat(vim.fn.readfile(vim.env.SKILLS_DOCS), '\n'):gmatch('```lua\n(.-)\n```') do
    table.insert(snippets, code)
  end
  local version = vim.fn.has('nvim-0.11') == 1 and 1 or vim.fn.has('nvim-0.8') == 1 and 2 or 3
  assert(loadstring(snippets[version]))()
end

-- rules waits until the findings of the buffer are those of these rules.
local function rules(want)
  local got
  local ok = vim.wait(20000, function()
    got = vim.tbl_map(function(d) return d.code or (d.user_data and d.user_data.lsp and d.user_data.lsp.code) end, vim.diagnostic.get(0, { severity = { min = vim.diagnostic.severity.WARN } }))
    table.sort(got)
    return vim.deep_equal(got, want)
  end, 20)
  return ok, got
end

local function clients()
  return (vim.lsp.get_clients or vim.lsp.get_active_clients)()
end

local function encoding()
  return clients()[1].offset_encoding
end

local function params(line, mark)
  vim.api.nvim_win_set_cursor(0, { line, assert(vim.fn.getline(line):find(mark, 1, true)) - 1 })
  return vim.lsp.util.make_position_params(0, encoding())
end

local function request(method, p)
  for _, answer in pairs(vim.lsp.buf_request_sync(0, method, p, 20000) or {}) do
    return answer.result, answer.err or answer.error
  end
end

local function run()
  write('SKILL.md', {
    '---', 'name: pdf', 'description: 填写 😀 PDF 表单. Use when a task names a form.', 'allowed-tools: Read; Grep', '---',
    '# PDF', '', 'Do 😀 it as [the guide](references/guide.md) says.',
  })
  write('references/guide.md', { '# Guide', '', 'Fill in the form.' })
  vim.fn.mkdir(work .. '/.git', 'p')
  vim.cmd('cd ' .. work)
  vim.cmd('filetype on')
  vim.o.swapfile = false
  setUp()
  vim.cmd('edit ' .. file)
  check('findings of an opened file', rules({ 'allowed-tools-format' }))

  local line = vim.fn.getline(8)
  local at = line:find('guide.md', 1, true) - 1
  vim.api.nvim_buf_set_text(0, 7, at, 7, at + 5, { 'guides' })
  check('findings while typing', rules({ 'allowed-tools-format', 'link-target' }))
  vim.cmd('undo')
  check('findings after undo', rules({ 'allowed-tools-format' }))

  local d = vim.diagnostic.get(0, { severity = { min = vim.diagnostic.severity.WARN } })[1]
  check('place of a finding', d.lnum == 3 and vim.fn.getline(4):sub(d.col + 1, d.col + 1) == ';', d)
  local range = { start = { line = 3, character = 0 }, ['end'] = { line = 3, character = 30 } }
  local actions = request('textDocument/codeAction', { textDocument = vim.lsp.util.make_text_document_params(), range = range, context = { diagnostics = {} } })
  local titles = vim.tbl_map(function(a) return a.title end, actions)
  check('actions', #actions == 3 and titles[1] == 'Write spaces between the tools', titles)
  vim.lsp.util.apply_workspace_edit(actions[1].edit, encoding())
  check('a fix', vim.fn.getline(4) == 'allowed-tools: Read Grep', vim.fn.getline(4))
  check('findings after the fix', rules({}))

  local hover = request('textDocument/hover', params(3, '😀'))
  check('hover', hover.contents.value:find('1,024 characters', 1, true) ~= nil, hover)
  local symbols = request('textDocument/documentSymbol', { textDocument = vim.lsp.util.make_text_document_params() })
  check('symbols', #symbols == 4 and symbols[4].name == 'PDF', symbols)

  local p = params(8, 'references/guide.md')
  local place = request('textDocument/definition', p)
  check('definition', vim.uri_to_fname(place.uri) == work .. '/pdf/references/guide.md', place)
  p.newName = 'references/how to.md'
  local edit, err = request('textDocument/rename', p)
  check('rename', edit ~= nil, err)
  vim.lsp.util.apply_workspace_edit(edit, encoding())
  vim.cmd('wall')
  check('findings after the rename', rules({}))
  local saved = vim.fn.readfile(file)
  check('the file on disk', saved[8] == 'Do 😀 it as [the guide](references/how%20to.md) says.', saved)
  check('the renamed file', vim.fn.filereadable(work .. '/pdf/references/how to.md') == 1 and vim.fn.filereadable(work .. '/pdf/references/guide.md') == 0, vim.fn.glob(work .. '/pdf/**'))

  vim.api.nvim_buf_set_lines(0, -1, -1, false, { '', 'See [x](x.md).' })
  check('a new problem', rules({ 'link-target' }))
  check('one server, with positions in ' .. encoding(), #clients() == 1, #clients())
  if vim.fn.has('nvim-0.11') == 1 then
    clients()[1]:stop()
  else
    clients()[1].stop()
  end
  check('the end of the server', vim.wait(20000, function() return #clients() == 0 end, 20))
end

local ok, err = xpcall(run, debug.traceback)
check('no error', ok, err)
finish(0)
