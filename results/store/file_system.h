// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace conoscope::results {

/// Is the path on a file system known to keep locks and shared memory as WAL needs them?
///
/// Asks statfs() and knows the local ones (ext, xfs, btrfs, zfs, f2fs, tmpfs, overlay, ...).
/// Network (nfs, cifs, 9p), fuse and unknown ones count as not local: the rollback journal works
/// there too.
bool is_local_disk(const std::filesystem::path& path);

/// May this process (its effective user) write there?
bool is_writable(const std::filesystem::path& path);

/// The folder a file lies in; "." for a bare name.
std::filesystem::path folder_of(const std::filesystem::path& file);

/// Where a link leads to, beside which SQLite keeps its log; any other path as it is.
std::filesystem::path target_of(const std::filesystem::path& file);

/// file:<path>?<options>, with what an URI may not hold escaped.
std::string sqlite_uri(const std::filesystem::path& path, const std::string& options);

}  // namespace conoscope::results
