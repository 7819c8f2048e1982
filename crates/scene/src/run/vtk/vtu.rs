//! Unstructured grids as VTK's XML files with raw appended data: after the XML come the arrays, each with its length in
//! bytes (64 bits) in front, little-endian.

use signorini_mechanics::Mat3;
use std::fmt::Write;

/// Components of symmetric tensors, in the order of VTK.
const TENSOR_AXES: [&str; 6] = ["XX", "YY", "ZZ", "XY", "YZ", "XZ"];

/// Where an array belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Points,
    Cells,
    PointData,
    CellData,
}

const SECTIONS: [(Section, &str); 4] = [
    (Section::Points, "Points"),
    (Section::Cells, "Cells"),
    (Section::PointData, "PointData"),
    (Section::CellData, "CellData"),
];

/// Kinds of cells, by VTK's numbers.
pub(super) mod cell {
    pub(crate) const VERTEX: u8 = 1;
    pub(crate) const LINE: u8 = 3;
    pub(crate) const TRIANGLE: u8 = 5;
    pub(crate) const POLYGON: u8 = 7;
    pub(crate) const QUAD: u8 = 9;
    pub(crate) const TETRAHEDRON: u8 = 10;
    pub(crate) const HEXAHEDRON: u8 = 12;
    pub(crate) const QUADRATIC_TETRAHEDRON: u8 = 24;
}

/// A grid under construction.
pub(super) struct Grid {
    points: usize,
    cells: usize,
    headers: Vec<(Section, String)>,
    data: Vec<u8>,
}

impl Grid {
    pub(super) fn new(points: usize, cells: usize) -> Self {
        Self { points, cells, headers: Vec::new(), data: Vec::new() }
    }

    /// A grid whose cells are its points.
    pub(super) fn of_points(points: usize) -> Self {
        let mut grid = Self::new(points, points);
        grid.whole(Section::Cells, "connectivity", 1, (0..points).map(|i| i as i32));
        grid.whole(Section::Cells, "offsets", 1, (1..=points).map(|i| i as i32));
        grid.bytes(Section::Cells, "types", (0..points).map(|_| cell::VERTEX));
        grid
    }

    fn array(&mut self, section: Section, kind: &str, name: &str, components: usize, write: impl FnOnce(&mut Vec<u8>)) {
        let offset = self.data.len();
        self.data.extend([0; 8]);
        write(&mut self.data);
        let length = (self.data.len() - offset - 8) as u64;
        self.data[offset..offset + 8].copy_from_slice(&length.to_le_bytes());
        let header = format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"appended\" offset=\"{offset}\"/>"
        );
        self.headers.push((section, header));
    }

    /// An array of 64-bit reals.
    pub(super) fn reals(&mut self, section: Section, name: &str, components: usize, values: impl Iterator<Item = f64>) {
        self.array(section, "Float64", name, components, |out| values.for_each(|x| out.extend(x.to_le_bytes())));
    }

    /// An array of symmetric tensors, six 64-bit reals each.
    pub(super) fn tensors(&mut self, section: Section, name: &str, values: impl Iterator<Item = Mat3>) {
        let six = values.flat_map(|t| [t.x_axis.x, t.y_axis.y, t.z_axis.z, t.x_axis.y, t.y_axis.z, t.x_axis.z]);
        self.reals(section, name, TENSOR_AXES.len(), six);
        let names: String =
            TENSOR_AXES.iter().enumerate().map(|(k, axes)| format!(" ComponentName{k}=\"{axes}\"")).collect();
        if let Some((_, header)) = self.headers.last_mut() {
            *header = header.replace(" format=", &format!("{names} format="));
        }
    }

    /// An array of 32-bit reals.
    pub(super) fn singles(
        &mut self,
        section: Section,
        name: &str,
        components: usize,
        values: impl Iterator<Item = f64>,
    ) {
        self.array(section, "Float32", name, components, |out| {
            values.for_each(|x| out.extend((x as f32).to_le_bytes()));
        });
    }

    /// An array of 32-bit whole numbers.
    pub(super) fn whole(&mut self, section: Section, name: &str, components: usize, values: impl Iterator<Item = i32>) {
        self.array(section, "Int32", name, components, |out| values.for_each(|x| out.extend(x.to_le_bytes())));
    }

    /// An array of bytes.
    pub(super) fn bytes(&mut self, section: Section, name: &str, values: impl Iterator<Item = u8>) {
        self.array(section, "UInt8", name, 1, |out| out.extend(values));
    }

    /// The file.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut xml = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n",
        );
        let (points, cells) = (self.points, self.cells);
        let _ = writeln!(xml, "<UnstructuredGrid>\n<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">");
        for (section, tag) in SECTIONS {
            let _ = writeln!(xml, "<{tag}>");
            for (_, header) in self.headers.iter().filter(|(owner, _)| *owner == section) {
                let _ = writeln!(xml, "{header}");
            }
            let _ = writeln!(xml, "</{tag}>");
        }
        xml += "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";
        let mut file = xml.into_bytes();
        file.extend(self.data);
        file.extend(b"\n</AppendedData>\n</VTKFile>\n");
        file
    }
}
