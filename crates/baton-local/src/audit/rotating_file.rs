//! A line file with size-based rotation: older lines move to numbered files, and the oldest are deleted.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

/// File size at which the file is rotated.
const MAX_FILE_BYTES: u64 = 10 * 1000 * 1000;

/// Number of rotated files.
const ROTATED_FILES: u32 = 3;

pub(super) struct RotatingFile {
    directory: PathBuf,
    file: File,
    size: u64,
    /// Whether the last line is incomplete, after a crash or on a full disk.
    torn: bool,
}

impl RotatingFile {
    pub(super) fn open(directory: &Path) -> io::Result<Self> {
        let mut file = open_private(&directory.join("audit.jsonl"))?;
        let size = file.metadata()?.len();
        let torn = size > 0 && last_byte(&mut file)? != b'\n';
        Ok(Self { directory: directory.to_owned(), file, size, torn })
    }

    /// Appends a line; rotates first if it does not fit.
    pub(super) fn write_line(&mut self, line: &str) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(line.len() + 2);
        if self.torn {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        let length = bytes.len() as u64;
        if self.size > 0 && self.size + length > MAX_FILE_BYTES {
            self.rotate()?;
            bytes.drain(..usize::from(self.torn));
            self.torn = false;
        }
        match self.file.write_all(&bytes) {
            Ok(()) => {
                self.size += bytes.len() as u64;
                self.torn = false;
                Ok(())
            }
            Err(error) => {
                self.size = self.file.metadata().map_or(self.size, |metadata| metadata.len());
                self.torn = self.size > 0;
                Err(error)
            }
        }
    }

    fn rotate(&mut self) -> io::Result<()> {
        for number in (1..ROTATED_FILES).rev() {
            rename_if_exists(&self.numbered(number), &self.numbered(number + 1))?;
        }
        let present = self.directory.join("audit.jsonl");
        rename_if_exists(&present, &self.numbered(1))?;
        self.file = open_private(&present)?;
        self.size = 0;
        Ok(())
    }

    fn numbered(&self, number: u32) -> PathBuf {
        self.directory.join(format!("audit.{number}.jsonl"))
    }
}

fn rename_if_exists(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// Opens a file for appending and restricts it to its owner.
fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true).read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
        options.mode(0o600);
        let file = options.open(path)?;
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
        Ok(file)
    }
    #[cfg(not(unix))]
    options.open(path)
}

fn last_byte(file: &mut File) -> io::Result<u8> {
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last[0])
}
