-- For wrk: no two requests are the same.
local serial = 0

function request()
  serial = serial + 1
  wrk.headers["X-Trace"] = tostring(serial)
  return wrk.format()
end
